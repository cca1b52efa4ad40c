"""The searches: level by level in native code, on Spark, or by the interpreter that both are compared with."""
