"""What tests of every folder share: names, files, repositories, calls of the runtime, imports."""
