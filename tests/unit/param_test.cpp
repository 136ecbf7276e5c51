// SPDX-License-Identifier: BSD-2-Clause
// fi_param_define, fi_param_get, fi_getparams, the configuration file and who may set what.
#include <climits>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include <gtest/gtest.h>
#include <rdma/fabric.h>
#include <rdma/fi_errno.h>
#include <rdma/providers/fi_prov.h>

#include "param/configuration.hpp"
#include "param/definitions.hpp"
#include "param/param.hpp"
#include "table.hpp"

namespace param = fi::core::param;

namespace {

// A provider with definitions of its own, dropped at the end of the test.
struct TestProvider {
    fi_provider prov{};
    explicit TestProvider(const char* name = "prov_x") { prov.name = name; }
    ~TestProvider() { param::forget(&prov); }
    int define(const char* name, fi_param_type type) { return fi_param_define(&prov, name, type, "help"); }
};

struct Environment {
    std::string name;
    Environment(const char* variable, const char* value) : name(variable) { setenv(variable, value, 1); }
    ~Environment() { unsetenv(name.c_str()); }
};

struct ConfigurationFile {
    explicit ConfigurationFile(const char* text)
    {
        param::Configuration::replace(param::Configuration::parse(text));
    }
    ~ConfigurationFile() { param::Configuration::replace({}); }
};

std::optional<param::Definition> definition(const std::string& name)
{
    for (const param::Definition& d : param::definitions())
        if (d.name == name)
            return d;
    return std::nullopt;
}

} // namespace

TEST(Param, NamesVariablesAfterTheirProviderInCapitals)
{
    TestProvider p("ofi_rxm");
    EXPECT_EQ(fi_param_define(&p.prov, "tx_size", FI_PARAM_SIZE_T, "entries, at most %d", 7), 0);
    const auto d = definition("FI_OFI_RXM_TX_SIZE");
    ASSERT_TRUE(d);
    EXPECT_EQ(d->help, "ofi_rxm: entries, at most 7");
    EXPECT_EQ(d->type, FI_PARAM_SIZE_T);
}

TEST(Param, NamesTheCoresVariablesWithoutAProvider)
{
    EXPECT_EQ(fi_param_define(nullptr, "test_of_core", FI_PARAM_INT, "some help"), 0);
    const auto d = definition("FI_TEST_OF_CORE");
    ASSERT_TRUE(d);
    EXPECT_EQ(d->help, "some help");
}

TEST(Param, RefusesADefinitionWithoutNameOrHelp)
{
    TestProvider p;
    EXPECT_EQ(fi_param_define(&p.prov, nullptr, FI_PARAM_INT, "help"), -FI_EINVAL);
    EXPECT_EQ(fi_param_define(&p.prov, "a", FI_PARAM_INT, nullptr), -FI_EINVAL);
    const char* empty = "";
    EXPECT_EQ(fi_param_define(&p.prov, "a", FI_PARAM_INT, empty, 0), -FI_EINVAL);
    EXPECT_EQ(fi_param_define(&p.prov, "a", static_cast<fi_param_type>(4), "help"), -FI_EINVAL);
    int value = 5;
    EXPECT_EQ(fi_param_get(&p.prov, "a", &value), -FI_ENOENT);
}

TEST(Param, C279_GetSaysWhyThereIsNoValueAndLeavesItAlone)
{
    TestProvider p;
    int value = 4711;
    EXPECT_EQ(fi_param_get(&p.prov, nullptr, &value), -FI_EINVAL);
    EXPECT_EQ(fi_param_get(&p.prov, "n", nullptr), -FI_EINVAL);
    EXPECT_EQ(fi_param_get(&p.prov, "n", &value), -FI_ENOENT);
    p.define("n", FI_PARAM_INT);
    p.define("b", FI_PARAM_BOOL);
    EXPECT_EQ(fi_param_get(&p.prov, "n", &value), -FI_ENODATA);
    Environment number("FI_PROV_X_N", "many"), truth("FI_PROV_X_B", "maybe");
    EXPECT_EQ(fi_param_get(&p.prov, "n", &value), -FI_EINVAL);
    EXPECT_EQ(fi_param_get(&p.prov, "b", &value), -FI_EINVAL);
    EXPECT_EQ(value, 4711);
}

TEST(Param, ReadsIntegersInEveryNotation)
{
    TestProvider p;
    p.define("n", FI_PARAM_INT);
    for (auto [text, expected] : std::vector<std::pair<const char*, int>>{
             {"12", 12}, {"-3", -3}, {"0x10", 16}, {"010", 8}, {" 5", 5}, {"64k", 64}, {"4294967297", 1}}) {
        Environment e("FI_PROV_X_N", text);
        int value = 0;
        EXPECT_EQ(fi_param_get_int(&p.prov, "n", &value), 0) << text;
        EXPECT_EQ(value, expected) << text;
    }
}

TEST(Param, ReadsSizesWithTheLimitsOfLong)
{
    TestProvider p;
    p.define("s", FI_PARAM_SIZE_T);
    for (auto [text, expected] : std::vector<std::pair<const char*, size_t>>{
             {"4096", 4096}, {"-1", SIZE_MAX}, {"99999999999999999999", LONG_MAX}, {"0x7f", 127}}) {
        Environment e("FI_PROV_X_S", text);
        size_t value = 0;
        EXPECT_EQ(fi_param_get_size_t(&p.prov, "s", &value), 0) << text;
        EXPECT_EQ(value, expected) << text;
    }
}

TEST(Param, ReadsTruthInWordsAndDigits)
{
    TestProvider p;
    p.define("b", FI_PARAM_BOOL);
    for (auto [text, expected] : std::vector<std::pair<const char*, int>>{
             {"0", 0}, {"false", 0}, {"No", 0}, {"OFF", 0}, {"1", 1}, {"True", 1}, {"YES", 1}, {"on", 1}}) {
        Environment e("FI_PROV_X_B", text);
        int value = -1;
        EXPECT_EQ(fi_param_get_bool(&p.prov, "b", &value), 0) << text;
        EXPECT_EQ(value, expected) << text;
    }
    for (const char* text : {"", "2", "yess", "tru", " on"}) {
        Environment e("FI_PROV_X_B", text);
        int value = -1;
        EXPECT_EQ(fi_param_get_bool(&p.prov, "b", &value), -FI_EINVAL) << text;
        EXPECT_EQ(value, -1) << text;
    }
}

TEST(Param, HandsOutTheEnvironmentsOwnString)
{
    TestProvider p;
    p.define("t", FI_PARAM_STRING);
    Environment e("FI_PROV_X_T", "some text");
    char* value = nullptr;
    EXPECT_EQ(fi_param_get_str(&p.prov, "t", &value), 0);
    EXPECT_EQ(value, getenv("FI_PROV_X_T"));
}

TEST(Param, KeepsTheFirstOfTwoDefinitions)
{
    TestProvider p;
    EXPECT_EQ(p.define("twice", FI_PARAM_STRING), 0);
    EXPECT_EQ(p.define("twice", FI_PARAM_INT), 0);
    Environment e("FI_PROV_X_TWICE", "word");
    char* value = nullptr;
    EXPECT_EQ(fi_param_get(&p.prov, "twice", &value), 0);
    EXPECT_STREQ(value, "word");
}

TEST(Param, ForgetsOneProviderOnly)
{
    TestProvider one("prov_one"), two("prov_two");
    one.define("a", FI_PARAM_INT);
    two.define("a", FI_PARAM_INT);
    param::forget(&one.prov);
    EXPECT_FALSE(definition("FI_PROV_ONE_A"));
    EXPECT_TRUE(definition("FI_PROV_TWO_A"));
}

TEST(Configuration, TakesLinesLiterally)
{
    const auto c =
        param::Configuration::parse("FI_A=1\n# a comment\nfi_a=2\n FI_B=3\nFI_C = 4\nFI_D=x=y\nFI_E=\n"
                                    "FI_A=5\nno value here\nFI_LAST=end");
    EXPECT_STREQ(c.value("FI_A"), "1");
    EXPECT_STREQ(c.value("fi_a"), "2");
    EXPECT_EQ(c.value("FI_B"), nullptr);
    EXPECT_STREQ(c.value(" FI_B"), "3");
    EXPECT_EQ(c.value("FI_C"), nullptr);
    EXPECT_STREQ(c.value("FI_C "), " 4");
    EXPECT_STREQ(c.value("FI_D"), "x=y");
    EXPECT_STREQ(c.value("FI_E"), "");
    EXPECT_STREQ(c.value("FI_LAST"), "end");
    EXPECT_EQ(c.value("no value here"), nullptr);
}

TEST(Configuration, CutsALineAtItsLongest)
{
    const std::string text = "FI_A=" + std::string(3000, 'v') + "\nFI_B=2\n";
    const auto c = param::Configuration::parse(text);
    EXPECT_EQ(std::string(c.value("FI_A")), std::string(2047 - 5, 'v'));
    EXPECT_STREQ(c.value("FI_B"), "2");
}

TEST(Configuration, IsReadFromAFileAndMayBeMissing)
{
    const auto path = std::filesystem::temp_directory_path() / ("fi_conf_" + std::to_string(getpid()));
    std::ofstream(path) << "FI_FROM_FILE=yes\n";
    EXPECT_STREQ(param::Configuration::read(path.c_str()).value("FI_FROM_FILE"), "yes");
    std::filesystem::remove(path);
    EXPECT_EQ(param::Configuration::read(path.c_str()).value("FI_FROM_FILE"), nullptr);
}

TEST(Configuration, GivesWayToTheEnvironmentUnlessToldOtherwise)
{
    TestProvider p;
    p.define("n", FI_PARAM_INT);
    int value = 0;
    {
        ConfigurationFile file("FI_PROV_X_N=1\n");
        EXPECT_EQ(fi_param_get(&p.prov, "n", &value), 0);
        EXPECT_EQ(value, 1);
        Environment e("FI_PROV_X_N", "2");
        EXPECT_EQ(fi_param_get(&p.prov, "n", &value), 0);
        EXPECT_EQ(value, 2);
        Environment prefer("FI_PREFER_SYSCONFIG", "yes");
        EXPECT_EQ(fi_param_get(&p.prov, "n", &value), 0);
        EXPECT_EQ(value, 1);
        EXPECT_EQ(param::lookup("FI_PROV_X_N"), "1");
    }
    ConfigurationFile file("FI_PROV_X_N=1\nFI_PREFER_SYSCONFIG=true\n");
    Environment e("FI_PROV_X_N", "2");
    EXPECT_EQ(param::lookup("FI_PROV_X_N"), "1");
    Environment prefer("FI_PREFER_SYSCONFIG", "no");
    EXPECT_EQ(param::lookup("FI_PROV_X_N"), "2");
    EXPECT_EQ(param::lookup("FI_PROV_X_OTHER"), std::nullopt);
}

TEST(Configuration, StringsOutliveAReplacement)
{
    TestProvider p;
    p.define("t", FI_PARAM_STRING);
    char* value = nullptr;
    {
        ConfigurationFile file("FI_PROV_X_T=still here\n");
        EXPECT_EQ(fi_param_get(&p.prov, "t", &value), 0);
    }
    EXPECT_STREQ(value, "still here");
}

TEST(CoreVariables, AreAllDefinedWithTheirTypesAndAHelpText)
{
    const std::map<std::string, fi_param_type> types = {{"string", FI_PARAM_STRING},
                                                        {"int", FI_PARAM_INT},
                                                        {"bool", FI_PARAM_BOOL},
                                                        {"size_t", FI_PARAM_SIZE_T}};
    param::define_core();
    param::define_core();
    int checked = 0;
    for (const fi::test::Row& row : fi::test::table("env_vars.tsv")) {
        if (row.at("scope") != "core")
            continue;
        const auto d = definition(row.at("name"));
        ASSERT_TRUE(d) << row.at("name");
        EXPECT_EQ(d->type, types.at(row.at("type"))) << row.at("name");
        EXPECT_EQ(d->provider, nullptr);
        EXPECT_GT(d->help.size(), 20u) << row.at("name");
        ++checked;
    }
    EXPECT_EQ(checked, 23);
    int log_level = 0;
    for (const param::Definition& d : param::definitions())
        log_level += d.name == "FI_LOG_LEVEL";
    EXPECT_EQ(log_level, 1);
}

TEST(GetParams, ListsCopiesWithValuesOfTheEnvironmentOnly)
{
    TestProvider p;
    p.define("shown", FI_PARAM_INT);
    p.define("in_file", FI_PARAM_INT);
    Environment e("FI_PROV_X_SHOWN", "12");
    ConfigurationFile file("FI_PROV_X_IN_FILE=13\n");
    fi_param* list = nullptr;
    int count = 0;
    ASSERT_EQ(fi_getparams(&list, &count), 0);
    ASSERT_GT(count, 23);
    EXPECT_EQ(list[count].name, nullptr);
    EXPECT_EQ(list[count].help_string, nullptr);
    EXPECT_EQ(list[count].value, nullptr);
    int found = 0;
    for (int i = 0; i < count; ++i) {
        if (!strcmp(list[i].name, "FI_PROV_X_SHOWN")) {
            EXPECT_STREQ(list[i].value, "12");
            EXPECT_NE(list[i].value, getenv("FI_PROV_X_SHOWN"));
            EXPECT_STREQ(list[i].help_string, "prov_x: help");
            EXPECT_EQ(list[i].type, FI_PARAM_INT);
            ++found;
        } else if (!strcmp(list[i].name, "FI_PROV_X_IN_FILE")) {
            EXPECT_EQ(list[i].value, nullptr);
            ++found;
        }
    }
    EXPECT_EQ(found, 2);
    fi_freeparams(list);
}

TEST(GetParams, RefusesNullAndFreesNothing)
{
    fi_param* list = nullptr;
    int count = 0;
    EXPECT_EQ(fi_getparams(nullptr, &count), -FI_EINVAL);
    EXPECT_EQ(fi_getparams(&list, nullptr), -FI_EINVAL);
    fi_freeparams(nullptr);
}

TEST(Param, ServesManyThreads)
{
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t)
        threads.emplace_back([t] {
            const std::string name = "prov_t" + std::to_string(t);
            TestProvider p(name.c_str());
            for (int i = 0; i < 50; ++i) {
                int value = 0;
                ASSERT_EQ(p.define("n", FI_PARAM_INT), 0);
                ASSERT_EQ(fi_param_get(&p.prov, "n", &value), -FI_ENODATA);
                param::define_core();
                fi_param* list = nullptr;
                int count = 0;
                ASSERT_EQ(fi_getparams(&list, &count), 0);
                fi_freeparams(list);
            }
        });
    for (std::thread& thread : threads)
        thread.join();
}

// A program with more rights than its caller: here one that root starts and that runs as nobody, because its
// file says so. The kernel marks it, whatever the direction.
TEST(Environment, IsIgnoredInASetuidProgram)
{
    if (geteuid() != 0)
        GTEST_SKIP() << "needs root to make a setuid program";
    const std::string copy = std::string(FI_PROBE) + ".setuid";
    struct statvfs mount;
    ASSERT_EQ(statvfs(FI_PROBE, &mount), 0);
    if (mount.f_flag & ST_NOSUID)
        GTEST_SKIP() << "the build directory is mounted nosuid";
    auto output_of = [](const std::string& program) {
        std::string text;
        FILE* pipe = popen(program.c_str(), "r");
        char block[256];
        while (fgets(block, sizeof block, pipe))
            text += block;
        EXPECT_EQ(pclose(pipe), 0);
        return text;
    };
    Environment e("FI_PROBE", "seen");
    std::filesystem::copy_file(FI_PROBE, copy, std::filesystem::copy_options::overwrite_existing);
    ASSERT_EQ(chown(copy.c_str(), 65534, 65534), 0);
    ASSERT_EQ(chmod(copy.c_str(), 04755), 0);
    EXPECT_EQ(output_of(FI_PROBE), "seen\n");
    EXPECT_EQ(output_of(copy), "(nothing)\n");
    std::filesystem::remove(copy);
}
