package import Foundation

/// The values of a story that a process tells to a cache of values by key, until it is killed.
///
/// Each is told by its number whether it is whole.
package enum NumberedValue {
  package static let identifier = "story"
  package static let keys = 16

  /// Where the value of a number is fetched from: one URL for each key.
  package static func url(of number: UInt64) -> URL? {
    URL(string: "http://story/kept/\(number % UInt64(keys))")
  }

  /// Where what is not kept is fetched from.
  package static func looseURL(of number: UInt64) -> URL? {
    URL(string: "http://story/loose/\(number % looseKeys)")
  }

  package static let looseKeys: UInt64 = 7

  package static func key(of number: UInt64) -> String { "key \(number % UInt64(keys))" }

  /// Its number, again and again: from nothing but the number to 64 kB.
  package static func data(_ number: UInt64) -> Data {
    let word = "\(number);"
    return Data(String(repeating: word, count: 1 + Int(number * 977 % 8_000)).utf8)
  }

  /// The number of a value; `nil`: it is none of the story, whole.
  package static func number(of data: Data) -> UInt64? {
    let text = String(decoding: data, as: UTF8.self)
    guard let number = text.split(separator: ";").first.flatMap({ UInt64($0) }),
      self.data(number) == data
    else { return nil }
    return number
  }
}
