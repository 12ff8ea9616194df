/// A defect that a store has on request, so that a search can show that it would be found.
///
/// In debug builds only: elsewhere no store has any.
package enum PlantedTwoTierDefect: String, Hashable, Sendable, CaseIterable {
  /// What was read takes the place of what was written meanwhile.
  case promotionOverWrite
  /// The end of a write takes the newer one of its key along.
  case newerWriteForgotten
  /// The older file stays where the newer value could not be written.
  case failedWriteKeepsFile
  /// Memory serves a value past its age.
  case ageForgottenInMemory
  /// Memory never looks at a file again.
  case siblingUnseen
  /// What was evicted before it was written is looked for in its file.
  case unwrittenForgotten
  /// A damaged file stays.
  case damageKept
  /// The files are not trimmed.
  case diskLimitIgnored
}
