/// How a session is recorded.
public struct RecorderOptions: Hashable, Sendable {
  /// What a file says of who and what it is about.
  public enum Identifiers: Hashable, Sendable {
    /// As they are: what is random tells nothing by itself, and names the same entity in every file.
    case kept
    /// Numbered in the order of appearance, again in each file.
    case numbered
  }

  /// The most bytes of one file; the next one begins with what the cache holds then.
  public var maximumBytes = 16 << 20
  /// How many files are kept, the one that is written included.
  public var files = 2
  /// The most operations that are kept in memory until the disk takes them; what comes beyond is left out,
  /// and counted.
  public var bufferedOperations = 16_384
  public var identifiers = Identifiers.kept
  /// Whether the file calls types and queries by the app's names of them, and not by numbers.
  public var namesTypes = false
  /// What reports call the session, and the policy that the app runs.
  public var name = "app"

  public init() {}
}

/// What a recorder has done so far.
public struct RecorderReport: Hashable, Sendable {
  /// Operations that were left out, because more happened than the buffer holds or the file could not be
  /// written.
  ///
  /// The file says so too, where it can be written again.
  public internal(set) var lost = 0
  /// Operations for which the format has no place: a library that the app cleared, for one.
  ///
  /// The file says so too.
  public internal(set) var withoutPlace = 0
  /// Lines in all files.
  public internal(set) var lines = 0
  /// Bytes in the present file.
  public internal(set) var bytes = 0
  /// Files that were begun.
  public internal(set) var files = 0
  /// Why the file could not be written last, until it can; `nil`: it can.
  public internal(set) var error: String?

  init() {}
}
