/// A defect that a store has on request, so that a search can show that it would be found.
///
/// In debug builds only: elsewhere no store has any.
package enum PlantedRepositoryDefect: String, Hashable, Sendable, CaseIterable {
  /// An answer is written though a newer one came before it.
  case olderAnswerKept
  /// Of two answers that wait, the older one stays.
  case newerAnswerForgotten
  /// A pull is content with an answer that the server read before it.
  case pullJoins
  /// A failed first view counts as a view.
  case failedViewCounts
  /// Answers that were asked for before a logout are written after it.
  case answersSurviveLogout
  /// What waits to be written is not dropped at a logout.
  case waitingSurvivesLogout
  /// A change goes with the next answer, whenever that was asked for.
  case settledEarly
  /// A failed change stays where it could not be undone at once.
  case undoForgotten
  /// Nothing is asked for after a change.
  case changeUnasked
  /// What met no network is not made up for.
  case missedForgotten
  /// Changes are taken though there is no network.
  case changedOffline
  /// Whoever waits for an answer that another replaces is never told.
  case callerForgotten
}
