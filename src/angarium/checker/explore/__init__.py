"""The searches: level by level in native code, on Spark, or by the interpreter that they are compared with."""
