package import CacheModel

/// Lines that an app's recording lacks.
package struct RecordingGap: Hashable, Sendable {
  /// When the recording went on.
  package var at: Instant
  package var lines: Int
  package var cause: Cause

  package enum Cause: String, Hashable, Sendable, CaseIterable {
    /// More happened than the recorder keeps while it waits for the disk.
    case buffer
    /// The file could not be written.
    case file
    /// The format has no place for what happened.
    case format
  }

  package init(at: Instant, lines: Int, cause: Cause) {
    self.at = at
    self.lines = lines
    self.cause = cause
  }
}
