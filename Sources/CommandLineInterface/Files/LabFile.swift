/// The files by which the lab hands a whole measurement to `tidemark bench`.
package enum LabFile: String, CaseIterable {
  case latency = "latency.rows"
  case memory = "memory.rows"
  case targets = "targets.rows"
}
