/// A defect that a store has on request, so that a search can show that it would be found.
///
/// In debug builds only: elsewhere no store has any.
package enum PlantedResponseDefect: String, Hashable, Sendable, CaseIterable {
  /// A fetch on its way brings back a tag that was removed.
  case tagOutlivesRemoval
  /// A body that is stored again is deleted by what was decided about the one before.
  case deletionsBlind
  /// A tagged body is replaced before what is written tells of the new one.
  case replacementUntold
  /// A tag counts as kept as soon as memory has it.
  case keptInMemory
  /// A sweep takes what has a tag.
  case tagNotHeld
  /// That a body is the present one is believed of another than was asked about.
  case confirmsAnyBody
  /// The order of use is not written.
  case readsForgotten
  /// What was on its way when everything was removed is stored.
  case clearedComesBack
  /// Unknown files stay.
  case orphansStay
  /// A body is served that is not what was written.
  case damageServed
  /// What is written of entries counts for nothing in the limit on bytes.
  case metadataUncounted
  /// An answer counts its lifetime from when it arrived.
  case ageIgnored
  /// A 304 allows what it does not forbid.
  case permissionForgotten
  /// A body is served to a request that it is no answer to.
  case selectionIgnored
  /// What a request may have changed is served without asking.
  case invalidationForgotten
}
