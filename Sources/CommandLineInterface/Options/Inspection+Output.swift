package import Reporting

extension Inspection {
  /// - Parameter format: how the figures are written.
  /// - Returns: the bytes of a file.
  /// - Throws: what the writer of the format throws.
  package func bytes(_ format: ResultFormat) throws -> [UInt8] {
    switch format {
    case .csv: try csv()
    case .json: try json()
    case .table: Console.legible(text(style: Console.style))
    }
  }
}
