export type { Approvals } from './approvals.ts';
export { type HttpRequest, type HttpRequestInput, httpRequest } from './http-request.ts';
export {
  type GatehouseTool,
  type GatehouseToolOptions,
  gatehouseTool,
  type ToolAnswer,
} from './tool.ts';
