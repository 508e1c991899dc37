/** An index as a member of a federation. */
export interface FederatedIndex {
  /** The name of the index, which may have been deleted since. */
  readonly name: string;
  /** Times this its hits' scores count; 0 to 100. */
  readonly weight_multiplier: number;
}

/** A named group of indexes that is searched as one (contract 3.8); absent optionals are left out. */
export interface Federation {
  readonly name: string;
  readonly friendly_name: string;
  /** RFC 3339 in UTC, with fractional seconds. */
  readonly created_at: string;
  readonly created_by?: string;
  readonly last_modified: string;
  readonly last_modified_by?: string;
  readonly organization_id?: string;
  /** At least one; no two of one name. Their order decides ties. */
  readonly index_configurations: readonly FederatedIndex[];
}
