import {
  detectResources,
  type Resource,
  resourceAttributesEnvDetector,
  resourceFromAttributes,
  serviceInstanceIdDetector,
  serviceNameEnvDetector,
} from '@opentelemetry/resources';
import manifest from '../../package.json' with { type: 'json' };

/** Who exports; OTEL_RESOURCE_ATTRIBUTES and OTEL_SERVICE_NAME have the last word. */
export function resourceOf(service: string): Resource {
  const own = resourceFromAttributes({ 'service.name': service, 'service.version': manifest.version });
  const detectors = [serviceInstanceIdDetector, resourceAttributesEnvDetector, serviceNameEnvDetector];
  return own.merge(detectResources({ detectors }));
}
