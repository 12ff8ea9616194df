// A policy is written in slots: who imports the orders has the word.
@_exported public import Containers
