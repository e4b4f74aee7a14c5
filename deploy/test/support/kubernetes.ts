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
    readonly strategy: {
      readonly rollingUpdate: { readonly maxUnavailable: number; readonly maxSurge: number };
    };
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
  readonly securityContext: Readonly<Record<string, unknown>>;
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
  readonly env: readonly { readonly name: string; readonly value: string }[];
  readonly startupProbe: Probe;
  readonly livenessProbe: Probe;
  readonly readinessProbe: Probe;
  readonly securityContext: Readonly<Record<string, unknown>>;
  readonly volumeMounts: readonly {
    readonly name: string;
    readonly mountPath: string;
    readonly subPath?: string;
    readonly readOnly: boolean;
  }[];
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
  readonly spec: {
    readonly scaleTargetRef: { readonly kind: string; readonly name: string };
    readonly minReplicas: number;
  };
}

export interface DisruptionBudget extends Manifest {
  readonly spec: { readonly selector: Selector; readonly maxUnavailable: number };
}

interface Peer {
  readonly podSelector?: Selector;
  readonly namespaceSelector?: Selector;
  readonly ipBlock?: { readonly cidr: string; readonly except?: readonly string[] };
}

export interface NetworkPolicy extends Manifest {
  readonly spec: {
    readonly podSelector: Selector;
    readonly policyTypes: readonly string[];
    readonly ingress?: readonly {
      readonly from: readonly Peer[];
      readonly ports: readonly { port: string }[];
    }[];
    readonly egress?: readonly {
      readonly to: readonly Peer[];
      readonly ports: readonly { port: string | number }[];
    }[];
  };
}
