"""What people use: the command line, the page, the pipeline of a project, and the reports."""
