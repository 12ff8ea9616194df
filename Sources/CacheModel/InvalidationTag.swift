/// What to invalidate, in structured terms: every field that is given must match.
public struct InvalidationTag: Hashable, Sendable {
  public var library: LibraryID
  /// A location (a directory tree) of the library.
  public var location: UniqueID?
  public var resourceType: ResourceType?
  public var method: QueryMethod?

  public init(
    library: LibraryID, location: UniqueID? = nil, resourceType: ResourceType? = nil,
    method: QueryMethod? = nil
  ) {
    self.library = library
    self.location = location
    self.resourceType = resourceType
    self.method = method
  }
}
