extension UniqueID: Codable {
  /// Reads the 36-character form, in either case.
  ///
  /// - Throws: `DecodingError.dataCorrupted` for anything else.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    guard let id = UniqueID(try container.decode(String.self)) else {
      throw DecodingError.dataCorruptedError(
        in: container, debugDescription: "a UUID in its form of 36 characters is expected")
    }
    self = id
  }

  /// Writes the lower-case form of 36 characters.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(description)
  }
}

extension LibraryID: Codable {
  /// Reads the identifier alone.
  ///
  /// - Throws: as ``UniqueID``.
  public init(from decoder: any Decoder) throws {
    self.init(rawValue: try UniqueID(from: decoder))
  }

  /// Writes the identifier alone.
  public func encode(to encoder: any Encoder) throws { try rawValue.encode(to: encoder) }
}

extension ResourceType: Codable {}
