import {
  detectResources,
  type Resource,
  resourceAttributesEnvDetector,
  resourceFromAttributes,
  serviceInstanceIdDetector,
  serviceNameEnvDetector,
} from '@opentelemetry/resources';

export interface ServiceIdentity {
  readonly name: string;
  readonly version: string;
}

/** OTEL_RESOURCE_ATTRIBUTES and OTEL_SERVICE_NAME override `service`. */
export function resourceOf({ name, version }: ServiceIdentity): Resource {
  const own = resourceFromAttributes({ 'service.name': name, 'service.version': version });
  const fromEnv = [resourceAttributesEnvDetector, serviceNameEnvDetector];
  return own.merge(detectResources({ detectors: [serviceInstanceIdDetector, ...fromEnv] }));
}
