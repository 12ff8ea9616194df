// An app has the options, statistics and errors of the design with the design.
@_exported public import StreamingRepositoryCore
