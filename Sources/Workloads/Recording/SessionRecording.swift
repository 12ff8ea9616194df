/// Recorded cache sessions as JSON Lines: a workload that can be kept, exchanged and replayed.
///
/// The first line is a header; each other line is one object, state, query, mutation, client, action,
/// delivery or answer, and names what earlier lines introduced by its number. Times are nanoseconds from the
/// beginning of the run. `Documentation/RecordingFormat.md` describes every field.
package enum SessionRecording {
  /// The word by which a file of this format is known.
  package static let formatName = "tidemark-session"
  /// What a library of files needs, and what any app's own model and all that came later do.
  package static let versions = 1...2
  /// The longest line that is read, in bytes.
  package static let maximumLineBytes = 8 << 20
}
