/// All trace formats.
///
/// A new format requires one file and one line here; help, `list formats` and the tests use this array.
package enum TraceFormats {
  package static let all: [TraceFormat] = [
    .text, .lirs, .arc, .be32, .be64, .oracleGeneral, .csv, .cachelib, .twitter, .jsonLines,
  ]

  package static func named(_ name: String) -> TraceFormat? {
    all.first { $0.name == name }
  }
}
