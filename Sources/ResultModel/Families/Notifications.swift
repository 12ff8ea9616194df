/// What observers were told, and whether it was worth telling.
extension Metric {
  public static let notifications = notification(
    "notifications", .neutral, "Notifications delivered to observers.")
  public static let notificationsUseful = notification(
    "notifications_useful", .neutral,
    "Notifications after which the result of the observed query had really changed.")
  public static let notificationsSpurious = notification(
    "notifications_spurious", .lowerIsBetter,
    "Notifications after which the result of the observed query was what it had been.")
  public static let notificationsMissed = notification(
    "notifications_missed", .lowerIsBetter,
    "Changes of an observed result of which its observer was never told.")

  private static func notification(
    _ name: String, _ polarity: Polarity, _ definition: String
  ) -> Metric {
    Metric(
      name: name, unit: .count, polarity: polarity, noiseClass: .exact, definition: definition)
  }
}

extension MetricRegistry {
  static let notifications: [Metric] = [
    .notifications, .notificationsUseful, .notificationsSpurious, .notificationsMissed,
  ]
}
