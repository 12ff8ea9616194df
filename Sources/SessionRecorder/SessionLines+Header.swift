import CacheModel
import NormalizedCache
import Text

/// The first line, which says what the others are about.
extension SessionLines {
  /// The first line, always as long, so that it can be written over.
  var header: [UInt8] {
    var json = JSONWriter()
    json.line { json in
      json.member("format", "tidemark-session")
      json.member("version", 2)
      json.member("truth", "observed")
      json.member("name", options.name)
      json.member("policy", options.name)
      json.member("library", written(library?.rawValue ?? UniqueID(high: 0, low: 0)))
      json.object("retention") { json in
        json.member("events", 1_000_000_000)
        json.member("age", Int64.max / 4)
      }
      json.member("warmUp", warmUp)
      json.flag("places")
      writeModel(&json)
    }
    let extra = answers == 0 ? 0 : waited / answers - min(shortest, waited / answers)
    let figures = [
      "\"duration\":\(max(last, warmUp + 1))",
      "\"network\":{\"minimumRoundTrip\":\(answers == 0 ? 0 : shortest),\"meanExtra\":\(extra)}",
    ].joined(separator: ",")
    // Three numbers of up to 19 digits, and their names.
    let room = 120
    return Array(json.bytes.dropLast(2)) + [UInt8(ascii: ",")] + Array(figures.utf8)
      + [UInt8](repeating: UInt8(ascii: " "), count: max(0, room - figures.utf8.count))
      + Array("}\n".utf8)
  }

  private func writeModel(_ json: inout JSONWriter) {
    let types = outline.types.map { $0.written("type", byName: options.namesTypes) }
    func field(_ name: String, _ holds: String, _ json: inout JSONWriter) {
      json.object { json in
        json.member("name", name)
        json.member("holds", holds)
        if holds == "reference" { json.member("to", "list") }
      }
    }
    func query(
      _ name: String, _ lists: [String], _ json: inout JSONWriter,
      _ condition: (inout JSONWriter) -> Void
    ) {
      json.object { json in
        json.member("name", name)
        json.array("lists") { json in for type in lists { json.element(type) } }
        json.array("where") { json in json.object { condition(&$0) } }
        json.array("order") { json in json.object { $0.member("field", "place") } }
        json.member("rows", 1_000_000)
      }
    }
    json.object("model") { json in
      json.array("types") { json in
        json.object { json in
          json.member("name", "list")
          json.array("fields") { _ in }
        }
        for type in types {
          json.object { json in
            json.member("name", type)
            json.array("fields") { json in
              field("list", "reference", &json)
              field("place", "integer", &json)
              field("word", "text", &json)
            }
          }
        }
      }
      json.array("queries") { json in
        for method in outline.methods {
          let name = method.kind.written("method", byName: options.namesTypes)
          query(name, method.lists.map { types[$0] }, &json) { json in
            json.member("field", "list")
            json.member("is", "subject")
          }
        }
        json.object { json in
          json.member("name", "uncached")
          json.array("lists") { json in for type in types { json.element(type) } }
          json.array("where") { json in
            json.object {
              $0.member("field", "word")
              $0.member("begins", "typed")
            }
          }
          json.array("order") { json in json.object { $0.member("field", "place") } }
          json.member("rows", 1_000_000)
          json.member("cachedFrom", 12)
        }
      }
    }
  }

  func written(_ id: UniqueID) -> String {
    switch options.identifiers {
    case .kept: id.description
    case .numbered: UniqueID(high: 0, low: 0).description
    }
  }
}
