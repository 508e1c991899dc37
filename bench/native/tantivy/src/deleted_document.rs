//! Which documents a layout deletes (`bench/peers/runners/deleted-document.ts` is its twin).

/// The same documents in every engine, spread as if at random; `share` of all documents.
pub fn is_deleted(ordinal: u32, share: f64) -> bool {
    let mut h = ordinal.wrapping_add(1);
    // The finalizer of MurmurHash3.
    h = (h ^ (h >> 16)).wrapping_mul(0x85eb_ca6b);
    h = (h ^ (h >> 13)).wrapping_mul(0xc2b2_ae35);
    f64::from(h ^ (h >> 16)) < share * 4_294_967_296.0
}
