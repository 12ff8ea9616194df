/// What of a cache outlives its process: everything, written behind in whole batches, within a size.
///
/// The cache itself does not look at it: whoever runs it opens such a storage.
public struct DiskStorage: Hashable, Sendable {
  /// The most bytes kept; `nil`: no limit.
  public var maximumBytes: Int?
  /// How long the first change of a batch waits for others: what the end of the process may cost.
  public var window: Duration

  /// The limit of the design document that `spacedrive` follows.
  public static let defaultMaximumBytes = 50_000_000

  public init(
    maximumBytes: Int? = DiskStorage.defaultMaximumBytes, window: Duration = .milliseconds(500)
  ) {
    self.maximumBytes = maximumBytes
    self.window = window
  }
}
