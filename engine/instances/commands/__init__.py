"""What commands do to a living instance, one module for each subject; `decide.py` has the table."""
