const telemetry = '/redfish/v1/TelemetryService'

/** The canonical URIs, without a trailing slash. */
export const reportUri = (definition: string) => `${telemetry}/MetricReports/${encodeURIComponent(definition)}`
export const definitionUri = (id: string) => `${telemetry}/MetricReportDefinitions/${encodeURIComponent(id)}`
export const metricUri = (id: string) => `${telemetry}/MetricDefinitions/${id}`
