"""The searches: level by level in native code, on Spark, or by the interpreter they are compared with."""
