import CacheModel

/// The directories that sessions have viewed, while the time of a history goes on.
struct ViewedDirectories {
  private let views: [(at: Int64, directory: UInt32)]
  private var next = 0
  private var all: Set<UInt32> = []
  /// The latest views of all sessions, the latest last.
  private var latest: [UInt32] = []

  /// So many views are remembered as the latest.
  private static let memory = 64

  init(_ actions: [SessionAction], _ queries: [QuerySpec]) {
    views = actions.compactMap { action in
      guard case .observe(let query) = action.kind, let directory = queries[Int(query)].directory
      else { return nil }
      return (action.at.nanoseconds, directory)
    }.sorted { $0.at != $1.at ? $0.at < $1.at : $0.directory < $1.directory }
  }

  mutating func advance(to instant: Int64) {
    while next < views.count, views[next].at < instant {
      all.insert(views[next].directory)
      latest.append(views[next].directory)
      if latest.count > Self.memory { latest.removeFirst() }
      next += 1
    }
  }

  func contains(_ directory: UInt32) -> Bool { all.contains(directory) }

  /// One of the latest by a draw in 0..<1, the later the likelier; `nil` before the first view.
  func directory(at unit: Double) -> UInt32? {
    // The square leans towards the latest.
    latest.isEmpty ? nil : latest[latest.count - 1 - Int(unit * unit * Double(latest.count))]
  }
}
