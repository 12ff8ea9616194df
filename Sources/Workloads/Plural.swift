/// The plural of a type's name, in which its counts are written.
package enum Plural {
  package static func of(_ name: String) -> String {
    if uncounted.contains(name) { return name }
    let vowels = "aeiou".utf8
    let bytes = Array(name.utf8)
    if bytes.last == UInt8(ascii: "y"), bytes.count > 1, !vowels.contains(bytes[bytes.count - 2]) {
      return "\(name.dropLast())ies"
    }
    return name.hasSuffix("s") ? name : "\(name)s"
  }

  private static let uncounted = ["children", "data", "media", "people", "staff"]
}
