import CacheModel
import Text

/// How much of what a user reads is new: it is opened because a notification, a link or a search
/// points to it, not because a view on screen lists it.
package struct NewestSection: Hashable, Sendable {
  /// The share of all that the user reads, queries and entities.
  package var share = 0.1
  /// Younger than this is new.
  package var age = Duration.hours(1)
  /// The share of it that is opened by itself; the rest is opened in its directory.
  package var direct = 0.7

  package init() {}
}

extension NewestSection: ScenarioSection {
  static let fields: [Field<NewestSection>] = [
    .real("share", .share, \.share, 0...0.6, "share of the reads that fall on what is new")
      .required(),
    .duration("age", \.age, .seconds(1)...(.days(30)), "younger than this is new").required(),
    .real("direct", .share, \.direct, 0.5...1, "share of it that is opened by itself"),
  ]
}
