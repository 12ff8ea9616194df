/// Developers' names, which are kept like code; other texts are values, and are not kept.
enum TypeName {
  /// Returns whether a text looks like an identifier: letters first, and no long numbers.
  static func isCode(_ text: String) -> Bool {
    let bytes = Array(text.utf8)
    guard let first = bytes.first, bytes.count <= 48, isLetter(first) || first == 0x5F else {
      return false
    }
    var digits = 0
    for byte in bytes {
      if (0x30...0x39).contains(byte) {
        digits += 1
      } else if !isLetter(byte), byte != 0x5F, byte != UInt8(ascii: "-") {
        return false
      }
    }
    return digits <= 2
  }

  /// Returns whether a text looks like identifiers with dots between them.
  static func isCodePath(_ text: String) -> Bool {
    text.split(separator: ".", omittingEmptySubsequences: false).allSatisfy { isCode(String($0)) }
  }

  /// Returns whether a segment of a path is a name, not the value of a variable.
  static func isCodeSegment(_ text: String) -> Bool {
    let bytes = Array(text.utf8)
    guard isCode(text), bytes.count <= 30, bytes[0] != 0x5F else { return false }
    let digits = bytes.filter { (0x30...0x39).contains($0) }.count
    if digits > 0 { return (bytes[0] | 0x20) == UInt8(ascii: "v") && digits == bytes.count - 1 }
    // `openIssues` and `Products` are names; `dQw` and `ABCDEF` are keys.
    let capitals = bytes.dropFirst().filter { (0x41...0x5A).contains($0) }.count
    return capitals <= bytes.count / 4
  }

  private static func isLetter(_ byte: UInt8) -> Bool {
    (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
  }

  /// Returns the singular of a list's name: `tasks` and `task` are the same type.
  static func singular(_ name: String) -> String {
    let lower = name.lowercased()
    if unchanged.contains(where: lower.hasSuffix) { return name }
    if endingInIE.contains(where: lower.hasSuffix) { return String(name.dropLast()) }
    if name.hasSuffix("ies"), name.utf8.count > 4 { return name.dropLast(3) + "y" }
    if ["xes", "ches", "shes", "sses"].contains(where: name.hasSuffix) {
      return String(name.dropLast(2))
    }
    guard name.hasSuffix("s"), name.utf8.count > 3, name != "news",
      !["ss", "us", "is"].contains(where: name.hasSuffix)
    else { return name }
    return String(name.dropLast())
  }

  /// Plurals of names in -ie, of which most in -ies are not.
  private static let endingInIE = [
    "brownies", "calories", "cookies", "genies", "hoodies", "movies", "pixies", "prairies",
    "rookies", "selfies", "smoothies", "zombies",
  ]
  /// Names that are their own plural.
  private static let unchanged = ["series", "species"]

  /// Returns the same text for names of the same type, as `tasks` and `Task`.
  static func kind(_ name: String) -> String { singular(name).lowercased() }

  /// Segments before a search text.
  private static let searches: Set = ["search", "find", "lookup", "query", "by"]
  /// Collections without a plural ending.
  private static let collections: Set = [
    "alumni", "children", "media", "men", "news", "people", "staff", "women",
  ]
  /// Names without information on a type.
  private static let fillers: Set = [
    "api", "rest", "me", "self", "current", "search", "latest", "recent", "all", "new", "graphql",
  ]

  /// Returns which segments of a path are names: none after a collection, where words of users occur as well
  /// as numbers.
  static func names(inPath path: [String]) -> [Bool] {
    var names: [Bool] = []
    for (place, segment) in path.enumerated() {
      let above = place > 0 && names[place - 1] ? path[place - 1] : ""
      let isValue =
        !above.isEmpty
        && (singular(above) != above || searches.contains(above.lowercased())
          || collections.contains(above.lowercased()))
      names.append(!isValue && isCodeSegment(segment))
    }
    return names
  }

  /// Returns the type of a path's target: the segment before its identity, otherwise the last name.
  static func ofPath(_ path: [String], id: String?) -> String? {
    let isName = names(inPath: path).enumerated().map { place, isName in
      isName && !fillers.contains(path[place].lowercased())
        && !path[place].utf8.contains { (0x30...0x39).contains($0) }
    }
    func last(before end: Int) -> String? {
      isName[..<end].lastIndex(of: true).map { singular(path[$0]) }
    }
    if let id, let place = path.lastIndex(where: { $0.utf8.elementsEqual(id.utf8) }),
      let name = last(before: place)
    {
      return name
    }
    return last(before: path.count)
  }
}
