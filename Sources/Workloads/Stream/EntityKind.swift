package import CacheModel

/// The kinds of entity in a synthetic library.
///
/// The raw value is the resource type's number.
package enum EntityKind: UInt16, Sendable, Hashable, CaseIterable {
  case file = 1
  case directory
  case album
  case tag
  case location

  package var resourceType: ResourceType { ResourceType(rawValue: rawValue) }
}
