/// A mistake that a store makes on request, so that a search can show that it would be found.
///
/// A store has one hook, and asks it where somebody might write the mistake:
/// `if planted(.tombstoneIgnored) { … }`. In a debug build the hook has a defect or none. In any other
/// build it takes no space and every answer is a constant, so that nothing of a defect is compiled.
@usableFromInline package struct DefectHook<Defect: Equatable & Sendable>: Sendable {
  @inlinable package init() {}

  #if PLANTED_DEFECTS
    @usableFromInline package var defect: Defect?

    /// Whether the store makes this mistake.
    @inlinable package func callAsFunction(_ defect: Defect) -> Bool { self.defect == defect }
  #else
    /// `nil`, whatever is set.
    package var defect: Defect? {
      get { nil }
      set {}
    }

    @inlinable @inline(__always) package func callAsFunction(_ defect: Defect) -> Bool { false }
  #endif
}
