import {
  detectResources,
  type Resource,
  resourceAttributesEnvDetector,
  resourceFromAttributes,
  serviceInstanceIdDetector,
  serviceNameEnvDetector,
} from '@opentelemetry/resources';

/** Which service it is. */
export interface ServiceIdentity {
  readonly name: string;
  readonly version: string;
}

/** Who exports; OTEL_RESOURCE_ATTRIBUTES and OTEL_SERVICE_NAME have the last word. */
export function resourceOf({ name, version }: ServiceIdentity): Resource {
  const own = resourceFromAttributes({ 'service.name': name, 'service.version': version });
  const detectors = [
    serviceInstanceIdDetector,
    resourceAttributesEnvDetector,
    serviceNameEnvDetector,
  ];
  return own.merge(detectResources({ detectors }));
}
