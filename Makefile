# Tidemark. `make bench` compares cache policies; `make test` runs the tests.
