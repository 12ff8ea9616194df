/// Who finds out which lists a change enters and leaves.
package enum ListMembership: String, Sendable {
  /// The cache itself.
  case own
  /// The harness, from the truth.
  ///
  /// A cache under test is never ranked together with one that finds out by itself.
  case given

  private static let mark = "@given"

  /// That of a cache, whose name says it where it is not its own: `mine@given`.
  package init(ofCache name: String) { self = name.hasSuffix(Self.mark) ? .given : .own }

  /// The name of a cache without that mark.
  package static func plainName(ofCache name: String) -> String {
    ListMembership(ofCache: name) == .given ? String(name.dropLast(mark.count)) : name
  }
}
