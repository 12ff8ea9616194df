// Re-exported: policies are written in terms of slots.
@_exported public import Containers
