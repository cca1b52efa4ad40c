"""Proof modules, read and never run: from Python's syntax trees to data (`contracts.module`).

`subject` finds what a file has, and implementations; `classes` reads the other classes, `statements` and
`expressions` what stands in them, and `scope` knows what names mean where. Others need `subject` alone.
"""
