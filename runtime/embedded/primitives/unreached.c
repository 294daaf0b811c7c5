/*
 * Names that the members of OpenSSL's libcrypto.a hold (runtime/build/openssl.mjs) and that P-256 does not reach: other
 * curves, protected memory, locks, parameters of providers. They end the program. A version of OpenSSL that needs
 * another name cannot be linked: whether it is reached has to be looked at then. test/embedded/primitives.test.ts goes
 * through all that is reached.
 */
#include <stdlib.h>

void unreached(void);

void unreached(void) {
  abort();
}

#define UNREACHED(name) __attribute__((alias("unreached"))) void name(void)

UNREACHED(BN_RECP_CTX_free);
UNREACHED(BN_RECP_CTX_init);
UNREACHED(BN_RECP_CTX_set);
UNREACHED(BN_mod_mul_reciprocal);
UNREACHED(BN_priv_rand_range_ex);
UNREACHED(CRYPTO_THREAD_read_lock);
UNREACHED(CRYPTO_THREAD_unlock);
UNREACHED(CRYPTO_THREAD_write_lock);
UNREACHED(CRYPTO_get_ex_data);
UNREACHED(CRYPTO_secure_clear_free);
UNREACHED(CRYPTO_secure_zalloc);
UNREACHED(CRYPTO_set_ex_data);
UNREACHED(CRYPTO_strdup);
UNREACHED(EC_GROUP_new_by_curve_name_ex);
UNREACHED(EC_GROUP_new_curve_GF2m);
UNREACHED(EC_GROUP_new_curve_GFp);
UNREACHED(EC_POINT_oct2point);
UNREACHED(EC_ec_pre_comp_dup);
UNREACHED(EC_ec_pre_comp_free);
UNREACHED(EC_nistp224_pre_comp_dup);
UNREACHED(EC_nistp224_pre_comp_free);
UNREACHED(EC_nistp256_pre_comp_dup);
UNREACHED(EC_nistp256_pre_comp_free);
UNREACHED(EC_nistp521_pre_comp_dup);
UNREACHED(EC_nistp521_pre_comp_free);
UNREACHED(ERR_pop_to_mark);
UNREACHED(ERR_set_mark);
UNREACHED(OPENSSL_strcasecmp);
UNREACHED(OSSL_PARAM_BLD_free);
UNREACHED(OSSL_PARAM_BLD_new);
UNREACHED(OSSL_PARAM_BLD_to_param);
UNREACHED(OSSL_PARAM_get_BN);
UNREACHED(OSSL_PARAM_get_int);
UNREACHED(OSSL_PARAM_get_utf8_ptr);
UNREACHED(OSSL_PARAM_locate_const);
UNREACHED(RSAZ_1024_mod_exp_avx2);
UNREACHED(RSAZ_512_mod_exp);
UNREACHED(ossl_ec_curve_name2nid);
UNREACHED(ossl_ec_curve_nid_from_params);
UNREACHED(ossl_ec_encoding_param2id);
UNREACHED(ossl_ec_group_todata);
UNREACHED(ossl_ec_key_simple_check_key);
UNREACHED(ossl_ec_key_simple_generate_key);
UNREACHED(ossl_ec_key_simple_generate_public_key);
UNREACHED(ossl_ec_key_simple_oct2priv);
UNREACHED(ossl_ec_key_simple_priv2oct);
UNREACHED(ossl_ec_nistp384_pre_comp_dup);
UNREACHED(ossl_ec_nistp384_pre_comp_free);
UNREACHED(ossl_ec_pt_format_param2id);
UNREACHED(ossl_ec_wNAF_have_precompute_mult);
UNREACHED(ossl_ec_wNAF_mul);
UNREACHED(ossl_ec_wNAF_precompute_mult);
UNREACHED(ossl_ecdh_simple_compute_key);
UNREACHED(ossl_ecdsa_simple_sign_setup);
UNREACHED(ossl_ecdsa_simple_sign_sig);
UNREACHED(ossl_ecdsa_simple_verify_sig);
UNREACHED(ossl_rsaz_avx512ifma_eligible);
UNREACHED(ossl_rsaz_avxifma_eligible);
UNREACHED(ossl_rsaz_mod_exp_avx512_x2);
UNREACHED(rsaz_avx2_eligible);
