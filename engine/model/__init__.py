"""What was deployed: the immutable model of a process, how it is read from XML and checked."""
