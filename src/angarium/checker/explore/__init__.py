"""The searches: states by levels, in native code, on Spark, or by the slow interpreter that they are compared with."""
