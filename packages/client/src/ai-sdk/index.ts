export type { Approvals } from './approvals.ts';
export {
  type GatehouseTool,
  type GatehouseToolOptions,
  gatehouseTool,
} from './gatehouse-tool.ts';
export { type HttpRequest, type HttpRequestOptions, httpRequest } from './http-request.ts';
export type { ToolAnswer } from './tool-answer.ts';
