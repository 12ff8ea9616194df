/// What observers were told, and whether it was worth telling.
extension MetricRegistry {
  static let notifications: [MetricDescriptor] = [
    notification("notifications", .neutral, "Notifications delivered to observers."),
    notification(
      "notifications_useful", .neutral,
      "Notifications after which the result of the observed query had really changed."),
    notification(
      "notifications_spurious", .lowerIsBetter,
      "Notifications after which the result of the observed query was what it had been."),
    notification(
      "notifications_missed", .lowerIsBetter,
      "Changes of an observed result of which its observer was never told."),
  ]

  private static func notification(
    _ name: String, _ polarity: Polarity, _ definition: String
  ) -> MetricDescriptor {
    MetricDescriptor(
      name: name, unit: .count, polarity: polarity, noiseClass: .exact, definition: definition)
  }
}
