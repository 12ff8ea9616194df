import CacheModel
import NormalizedCache

/// The screen of a soak, a frame at a time: looks whether views show what the cache has, then draws those
/// that were told that they do not.
struct SoakScreen {
  private let views: SoakViews
  private let cache: NormalizedCache<MeasurementSchema>
  private let keys: [QueryKey]
  /// How many views were compared that had been told of nothing since they were drawn.
  private(set) var checked = 0
  /// How many of them showed something else than the cache had: they were not told.
  private(set) var missed = 0
  /// The view that was compared last.
  private var place = 0

  /// Views that are compared before each frame.
  private static let viewsPerFrame = 10

  init(
    of views: SoakViews, from cache: NormalizedCache<MeasurementSchema>, keys: [QueryKey]
  ) {
    self.views = views
    self.cache = cache
    self.keys = keys
  }

  /// Compares, then draws.
  ///
  /// What a view missed and then draws with a later change is seen only by a comparison between the two.
  mutating func frame() async {
    for _ in 0..<min(Self.viewsPerFrame, keys.count) {
      place = (place + 1) % keys.count
      guard let isRight = await cache.isShown(keys[place], in: views) else { continue }
      checked += 1
      if !isRight { missed += 1 }
    }
    for key in views.take() { views.draw(key, await cache.rows(of: key)) }
  }
}
