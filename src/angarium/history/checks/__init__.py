"""Checks of guarantees on Spark: functions DataFrame -> DataFrame, one guarantee a file."""
