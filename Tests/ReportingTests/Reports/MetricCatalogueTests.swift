import ResultModel
import Testing

@testable import Reporting

@Suite("Catalogue of metrics")
struct MetricCatalogueTests {
  @Test("every metric of the registry is listed once, in both forms")
  func complete() throws {
    let names = MetricRegistry.all.map(\.name)
    #expect(MetricCatalogue.table().rows.compactMap { $0.first?.text } == names)
    let json = String(decoding: try MetricCatalogue.json(), as: UTF8.self)
    for name in names {
      #expect(json.split(separator: "\"name\": \"\(name)\",").count == 2, "\(name)")
    }
  }
}
