package import CacheModel

/// All objects of a run, and all of their states.
///
/// Flat columns over dense indices: objects and states are numbers, and the order of revisions is the order
/// in which the server commits them.
package struct Catalog: Hashable, Sendable {
  package var objects: [EntityKey]
  package var revisions: [Revision]
  /// The number of initial revisions: the states at time zero, one for each object that exists then.
  package var initialCount: Int
  /// The objects in lists of references; a word refers to a range of it.
  package var labels: [UInt32]
  /// The fields of all states: a state's words begin at its ``valueStarts``, as many as its type has.
  ///
  /// Each word has the order of its field: numbers and times are ``OrderedWord/of(_:)``, texts letter codes,
  /// flags 0 or 1, references objects or `noObject`. A list of references is a ``LabelRange`` of `labels`.
  package var values: [UInt64] = []
  /// The beginning of each revision's words.
  package var valueStarts: [UInt32] = []

  package init(
    objects: [EntityKey], revisions: [Revision], initialCount: Int, labels: [UInt32]
  ) {
    self.objects = objects
    self.revisions = revisions
    self.initialCount = initialCount
    self.labels = labels
  }
}

/// Whole numbers as unsigned words with the same order.
package enum OrderedWord {
  package static func of(_ number: Int64) -> UInt64 { UInt64(bitPattern: number) ^ (1 << 63) }
  package static func number(_ word: UInt64) -> Int64 { Int64(bitPattern: word ^ (1 << 63)) }
}

/// The range of a list's references in `Catalog.labels`, as one word.
package struct LabelRange: Hashable, Sendable {
  package var start: UInt32
  package var count: UInt32

  package init(start: UInt32, count: UInt32) {
    self.start = start
    self.count = count
  }

  package init(word: UInt64) {
    start = UInt32(truncatingIfNeeded: word >> 32)
    count = UInt32(truncatingIfNeeded: word)
  }

  package var word: UInt64 { UInt64(start) << 32 | UInt64(count) }
  package var indices: Range<Int> { Int(start)..<Int(start) + Int(count) }
}

/// One state of one object, without its fields.
package struct Revision: Hashable, Sendable, BitwiseCopyable {
  /// The object, as an index of `Catalog.objects`.
  package var object: UInt32
  package var version: Version
  /// The location (a tree of directories) that contains it, as an object; `noObject` for none.
  package var location: UInt32
  /// The size of the object as compact JSON, in bytes.
  package var bytes: Int32

  package static let noObject = UInt32.max

  package init(
    object: UInt32, version: Version, location: UInt32 = Self.noObject, bytes: Int32
  ) {
    self.object = object
    self.version = version
    self.location = location
    self.bytes = bytes
  }
}

package struct QuerySpec: Sendable, Hashable {
  package var kind: QueryKind
  /// The subject, such as a directory, album or tag; for a search, the typed letters as a left-aligned
  /// `LetterCode`; 0 if neither.
  package var subject: UInt64
  /// The number of typed letters; 0 without any.
  package var prefixLength: UInt8
  /// The maximum number of rows in the result.
  package var limit: UInt32
  /// The state after which the rows begin, as a cursor; ``Revision/noObject``: from the first.
  package var after = Revision.noObject

  package init(
    kind: QueryKind, subject: UInt64, prefixLength: UInt8 = 0, limit: UInt32,
    after: UInt32 = Revision.noObject
  ) {
    self.after = after
    self.kind = kind
    self.subject = subject
    self.prefixLength = prefixLength
    self.limit = limit
  }

  /// The codes of the names that match a search.
  package var nameRange: Range<UInt64> {
    LetterCode.range(ofPrefix: subject, letters: Int(prefixLength))
  }
}

/// The kind of a query: its shape's number in the workload's ``DataModel``, which is also its method's.
package struct QueryKind: Sendable, Hashable {
  package let rawValue: UInt16

  init(number: UInt16) { rawValue = number }

  /// Creates the kind for a method's number; `nil` for one that no model has.
  package init?(rawValue: UInt16) {
    guard (1...UInt16(DataModel.maximumShapes)).contains(rawValue) else { return nil }
    self.rawValue = rawValue
  }

  package var method: QueryMethod { QueryMethod(rawValue: rawValue) }
}

/// Names of up to twelve letters, packed in five bits per letter.
///
/// `a` is 1 and `z` 26; 0 ends the name. The first letter is in bits 59...55, so codes sort as names do, and
/// a prefix is a range of codes.
package enum LetterCode {
  package static let maximumLetters = 12
  package static let bitsPerLetter = 5

  /// Returns the code of a name; `nil` if it is longer than twelve letters or contains anything but
  /// `a`...`z`.
  package static func encode(_ name: some StringProtocol) -> UInt64? {
    var code: UInt64 = 0
    var count = 0
    for byte in name.utf8 {
      guard count < maximumLetters, byte >= UInt8(ascii: "a"), byte <= UInt8(ascii: "z") else {
        return nil
      }
      code |= UInt64(byte - UInt8(ascii: "a") + 1) << shift(ofLetter: count)
      count += 1
    }
    return code
  }

  package static func decode(_ code: UInt64) -> String {
    var text = ""
    for letter in 0..<maximumLetters {
      let value = UInt8(truncatingIfNeeded: code >> shift(ofLetter: letter)) & 31
      guard value >= 1, value <= 26 else { break }
      text.unicodeScalars.append(Unicode.Scalar(UInt8(ascii: "a") + value - 1))
    }
    return text
  }

  package static func letterCount(_ code: UInt64) -> Int {
    let usedBits = 60 - min(60, code.trailingZeroBitCount)
    return code == 0 ? 0 : (usedBits + bitsPerLetter - 1) / bitsPerLetter
  }

  /// Returns the first letters of a code, left-aligned.
  package static func prefix(_ code: UInt64, letters: Int) -> UInt64 {
    let kept = min(max(letters, 0), maximumLetters)
    let width = UInt64(bitsPerLetter * (maximumLetters - kept))
    return (code >> width) << width
  }

  /// Returns the codes of all names that begin with a left-aligned prefix.
  package static func range(ofPrefix prefix: UInt64, letters: Int) -> Range<UInt64> {
    let kept = min(max(letters, 0), maximumLetters)
    let first = Self.prefix(prefix & 0x0FFF_FFFF_FFFF_FFFF, letters: kept)
    return first..<first + (1 << UInt64(bitsPerLetter * (maximumLetters - kept)))
  }

  private static func shift(ofLetter letter: Int) -> UInt64 {
    UInt64(60 - bitsPerLetter * (letter + 1))
  }
}
