import type { Manifest } from '../../../dev/kubernetes/manifests.ts';

// These types have only the members of our manifests that the tests read. Schemas check the other
// members.

type Labels = Readonly<Record<string, string>>;

interface Selector {
  readonly matchLabels?: Labels;
}

interface Probe {
  readonly httpGet: { readonly path: string; readonly port: string };
}

export interface Deployment extends Manifest {
  readonly spec: {
    readonly replicas?: number;
    readonly strategy: { readonly rollingUpdate: object };
    readonly selector: Selector;
    readonly template: {
      readonly metadata: { readonly labels: Labels; readonly annotations?: Labels };
      readonly spec: PodSpec;
    };
  };
}

interface PodSpec {
  readonly terminationGracePeriodSeconds: number;
  readonly automountServiceAccountToken: boolean;
  readonly securityContext: object;
  readonly containers: readonly Container[];
  readonly volumes: readonly {
    readonly name: string;
    readonly secret?: { readonly secretName: string };
    readonly configMap?: { readonly name: string; readonly optional?: boolean };
  }[];
}

interface Container {
  readonly name: string;
  readonly image: string;
  readonly ports: readonly { readonly name: string; readonly containerPort: number }[];
  readonly env: readonly {
    readonly name: string;
    readonly value?: string;
    readonly valueFrom?: { readonly secretKeyRef: { readonly name: string; readonly key: string } };
  }[];
  readonly startupProbe: Probe;
  readonly livenessProbe: Probe;
  readonly readinessProbe: Probe;
  readonly securityContext: object;
  readonly volumeMounts: readonly { readonly name: string; readonly mountPath: string }[];
}

export interface ConfigMap extends Manifest {
  readonly data: Labels;
}

export interface Service extends Manifest {
  readonly spec: {
    readonly selector: Labels;
    readonly ports: readonly { readonly port: number; readonly targetPort: string }[];
  };
}

export interface Autoscaler extends Manifest {
  readonly spec: { readonly scaleTargetRef: object; readonly minReplicas: number };
}

export interface DisruptionBudget extends Manifest {
  readonly spec: { readonly selector: Selector; readonly maxUnavailable: number };
}

export interface NetworkPolicy extends Manifest {
  readonly spec: {
    readonly podSelector: Selector;
    readonly ingress?: readonly { readonly ports: readonly { readonly port: string }[] }[];
    readonly egress?: readonly { readonly ports: readonly { readonly port: number }[] }[];
  };
}
