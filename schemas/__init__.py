"""The wire and storage contract: Avro schemas, frames, headers, versioned documents."""
