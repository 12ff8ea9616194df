/// A place in a table: dense, reused after removal.
public typealias Slot = Int32
