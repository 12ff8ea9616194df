/// A design that can be chosen by name.
package struct Alternative: Sendable {
  /// Flat, lower-case, hyphenated.
  package let name: String
  /// What it is, in one sentence.
  package let summary: String
  /// What it does not do, that the cache under test does: the price of its speed, or of its slowness.
  package let limits: String
  /// Makes it, full.
  ///
  /// Files that it needs are below the folder, which exists, is empty, and is removed by whoever made it.
  package let make:
    @Sendable (_ library: FileLibrary, _ folder: String) async throws -> any AlternativeCache
}
