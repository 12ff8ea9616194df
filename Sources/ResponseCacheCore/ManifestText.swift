package import CacheFiles
import CacheModel
import Text

extension FileName: ResponseKey {}

/// The metadata of entries as JSON: a manifest of all, or a sidecar of one.
///
/// ```json
/// {"version":2,"entries":[{"name":"9f86…","tags":["issue1"],"read":1567595302365000000,
///  "bodies":[{"kind":"json","status":301,"use":"asked","bytes":13402,"sha256":"ab12…","etag":"\"0970\"",
///   "stale":…,"lifetime":…,"fields":[["ETag","\"0970\""],["Vary","Accept"]],"selected":[["accept","*/*"]]}]}],
///  "downloads":[{"id":"issue1","url":"https://…","state":"downloaded","entries":31}]}
/// ```
///
/// Times are nanoseconds since 1970, lifetimes nanoseconds. A status of 200, and permission to use a body,
/// are omitted. Any deviation from this form makes the whole file damaged: a partially read manifest would
/// silently lose tags. Version 1 did not record whether a body may be used without validation, so its entries
/// are stale.
package enum ManifestText {
  package typealias Key = FileName

  private static let version: Int64 = 2
  /// The maximum size of a manifest in bytes: about 150,000 entries.
  package static let maximumBytes = 128 << 20
  /// The maximum length of a stored ETag, in bytes.
  package static let maximumTagBytes = 1_024
  private static let maximumURLBytes = 8_192
  private static let permissions: [(permission: ResponsePermission, word: String)] = [
    (.whileFresh, "fresh"), (.afterAsking, "asked"),
  ]

  package struct Damage: Error {}

  // MARK: Writing

  package static func bytes(_ manifest: Manifest<Key>) -> [UInt8] {
    var writer = JSONWriter()
    writer.line { writer in
      writer.member("version", version)
      writer.array("entries") { writer in
        for entry in manifest.entries { write(entry, to: &writer) }
      }
      writer.array("downloads") { writer in
        for download in manifest.downloads {
          writer.object { writer in
            writer.member("id", download.id.text)
            writer.member("url", download.url)
            writer.member("state", download.state.rawValue)
            writer.member("entries", download.entries)
          }
        }
      }
    }
    return writer.bytes
  }

  private static func write(_ entry: ManifestEntry<Key>, to writer: inout JSONWriter) {
    writer.object { writer in
      writer.member("name", entry.key.description)
      writer.array("tags") { writer in for tag in entry.tags { writer.element(tag.text) } }
      writer.member("read", entry.lastRead.nanoseconds)
      writer.array("bodies") { writer in
        for version in entry.versions {
          write(version, to: &writer)
        }
      }
    }
  }

  private static func write(_ version: BodyVersion, to writer: inout JSONWriter) {
    writer.object { writer in
      writer.member("kind", version.kind.rawValue)
      if version.status != 200 { writer.member("status", version.status) }
      for (permission, word) in permissions where permission == version.permission {
        writer.member("use", word)
      }
      writer.member("bytes", version.bytes)
      if let digest = version.digest { writer.member("sha256", digest.hexadecimal) }
      if let etag = version.etag { writer.member("etag", etag) }
      writer.member("stale", version.staleAt.nanoseconds)
      writer.member("lifetime", version.lifetime.wholeNanoseconds)
      guard version.header != .none else { return }
      writer.array("fields") { writer in
        for field in version.header.fields {
          writer.array { writer in
            writer.element(field.name)
            writer.element(field.value)
          }
        }
      }
      guard !version.header.selecting.isEmpty else { return }
      writer.array("selected") { writer in
        for field in version.header.selecting {
          writer.array { writer in
            writer.element(field.name)
            if let value = field.value { writer.element(value) }
          }
        }
      }
    }
  }

  // MARK: Reading

  package static func manifest(_ bytes: [UInt8]) throws(Damage) -> Manifest<Key> {
    guard let document = try? JSONParser.parse(bytes[...]) else { throw Damage() }
    let fields = try Fields(document)
    let written = try fields.integer("version")
    guard (1...version).contains(written) else { throw Damage() }
    var manifest = Manifest<Key>()
    for value in try fields.array("entries") { manifest.entries.append(try entry(value, written)) }
    for value in try fields.array("downloads") {
      let fields = try Fields(value)
      let (id, url) = (try fields.text("id"), try fields.text("url"))
      guard let state = DownloadRecord.State(rawValue: try fields.text("state")),
        id.utf8.count <= ResponseOptions.maximumTagBytes, url.utf8.count <= maximumURLBytes
      else { throw Damage() }
      manifest.downloads.append(
        DownloadRecord(
          id: TextKey(id), url: url, state: state,
          entries: Int(try fields.integer("entries", from: 0))))
    }
    return manifest
  }

  private static func entry(
    _ value: JSONValue, _ written: Int64
  ) throws(Damage) -> ManifestEntry<Key> {
    let fields = try Fields(value)
    guard let name = FileName(found: try fields.text("name")), name.fileExtension == nil else {
      throw Damage()
    }
    var tags: [TextKey] = []
    for tag in try fields.array("tags") {
      guard case .string(let tag) = tag, tag.utf8.count <= ResponseOptions.maximumTagBytes else {
        throw Damage()
      }
      tags.append(TextKey(tag))
    }
    let bodies = try fields.array("bodies")
    guard tags.count <= ResponseOptions.maximumTags, bodies.count <= 4 else { throw Damage() }
    var versions: [BodyVersion] = []
    for body in bodies {
      versions.append(written == 1 ? try versionOfOne(body) : try version(body))
    }
    return ManifestEntry(
      key: name, tags: tags, lastRead: Instant(nanoseconds: try fields.integer("read")),
      versions: versions)
  }

  private static func version(_ value: JSONValue) throws(Damage) -> BodyVersion {
    let fields = try Fields(value)
    var version = try versionOfOne(value)
    if let word = try fields.optionalText("use") {
      guard let known = permissions.first(where: { $0.word == word }) else { throw Damage() }
      version.permission = known.permission
    }
    if fields.has("status") {
      guard let status = UInt16(exactly: try fields.integer("status")) else { throw Damage() }
      version.status = status
    }
    version.staleAt = Instant(nanoseconds: try fields.integer("stale"))
    version.generatedAt = version.staleAt.advanced(
      byNanoseconds: -(try fields.integer("lifetime", from: 0)))
    let kept = try fields.pairs("fields")
    let selecting = try fields.pairs("selected")
    if !kept.isEmpty {
      version.header = .fields(
        kept.map { HTTPField($0.name, $0.value ?? "") },
        selectedBy: selecting.map { SelectingField(name: $0.name, value: $0.value) })
    }
    guard version.header.byteCount <= KeptHeader.maximumBytes else { throw Damage() }
    return version
  }

  /// The members common to both versions of the form.
  private static func versionOfOne(_ value: JSONValue) throws(Damage) -> BodyVersion {
    let fields = try Fields(value)
    let digest = try fields.optionalText("sha256").map { BodyDigest(hexadecimal: $0) }
    let etag = try fields.optionalText("etag")
    guard let kind = ResponseKind(rawValue: try fields.text("kind")), digest != .some(nil),
      (etag?.utf8.count ?? 0) <= maximumTagBytes
    else { throw Damage() }
    return BodyVersion(
      kind: kind, bytes: Int(try fields.integer("bytes", from: 0)), digest: digest ?? nil,
      etag: etag, generatedAt: .zero, staleAt: .zero)
  }

  private struct Fields {
    private let object: JSONValue

    init(_ value: JSONValue) throws(Damage) {
      guard case .object = value else { throw Damage() }
      object = value
    }

    func text(_ name: String) throws(Damage) -> String {
      guard let text = object[name]?.text else { throw Damage() }
      return text
    }

    func has(_ name: String) -> Bool { object[name] != nil }

    func optionalText(_ name: String) throws(Damage) -> String? {
      has(name) ? try text(name) : nil
    }

    func array(_ name: String) throws(Damage) -> [JSONValue] {
      guard let values = object[name]?.elements else { throw Damage() }
      return values
    }

    /// Returns arrays of a name and an optional value; none if there is no such member.
    func pairs(_ name: String) throws(Damage) -> [(name: String, value: String?)] {
      guard has(name) else { return [] }
      var pairs: [(name: String, value: String?)] = []
      for element in try array(name) {
        guard let texts = element.elements?.map(\.text), (1...2).contains(texts.count),
          let name = texts[0], texts.count == 1 || texts[1] != nil
        else { throw Damage() }
        pairs.append((name, texts.count == 2 ? texts[1] : nil))
      }
      return pairs
    }

    func integer(_ name: String, from minimum: Int64 = .min) throws(Damage) -> Int64 {
      guard case .number(let isNegative, let magnitude) = object[name],
        let number = isNegative
          ? Int64(exactly: magnitude).map({ -$0 }) : Int64(exactly: magnitude), number >= minimum
      else { throw Damage() }
      return number
    }
  }
}

extension BodyDigest {
  package init(_ bytes: [UInt8]) {
    self.init(
      words: stride(from: 0, to: bytes.count, by: 8).map { start in
        bytes[start..<min(start + 8, bytes.count)].reduce(0) { $0 << 8 | UInt64($1) }
      })
  }

  /// Digit by digit: every body of a manifest has one, and a string for each word took half its time.
  var hexadecimal: String {
    var digits: [UInt8] = []
    digits.reserveCapacity(16 * words.count)
    for word in words {
      for digit in 0..<16 {
        let value = UInt8(truncatingIfNeeded: word >> UInt64(60 - 4 * digit) & 15)
        digits.append(value + UInt8(ascii: value < 10 ? "0" : "W"))
      }
    }
    return String(decoding: digits, as: UTF8.self)
  }

  /// `nil`: it is invalid.
  init?(hexadecimal text: String) {
    guard text.utf8.count == 64, text.utf8.allSatisfy({ $0 != UInt8(ascii: "+") }) else {
      return nil
    }
    var words: [UInt64] = []
    var rest = text[...]
    while !rest.isEmpty {
      guard let word = UInt64(rest.prefix(16), radix: 16) else { return nil }
      words.append(word)
      rest = rest.dropFirst(16)
    }
    self.init(words: words)
  }
}
